// What the page asks of the library and what it hears: bindings/wasm, operation by operation.
export type Numbers = Float32Array | Float64Array | Uint8Array | Int32Array;
export type Arrays = Record<string, Numbers>;

export interface Reply {
  error?: string;
  code?: string;
  arrays: Arrays;
  [key: string]: unknown;
}

export interface OptionInfo {
  name: string;
  kind: "number" | "whole" | "flag" | "choice" | "numbers";
  initial: string;
  about: string;
  low: number | string;
  high: number | string;
  condition: string;
  choices?: string[];
  needs?: { option: string; values: string[] }[];
}
export interface MethodInfo {
  name: string;
  family: string;
  about: string;
  formula: string;
  targets: "none" | "classes" | "values" | "clusters" | "sides";
  takes_kernel: boolean;
  can_predict: boolean;
  can_transform: boolean;
  options: OptionInfo[];
}
export interface ParameterInfo {
  name: string;
  initial: string;
  condition: string;
  about: string;
}
export interface KernelInfo {
  name: string;
  aliases: string[];
  formula: string;
  domain: string;
  parameters: ParameterInfo[];
  rule: string;
  mercer: boolean;
}
export interface About {
  methods: MethodInfo[];
  kernels: KernelInfo[];
  algebra: { form: string; meaning: string; rule: string }[];
  kinds: { name: string; default_kernel: string }[];
}

export interface Form {
  what: string;
  arguments: [string, number | string | number[] | number[][]][];
  parts: Form[];
  who?: string;
}
export interface Proof {
  valid: boolean;
  claim: string;
  rule: string;
  conditions: string[];
  at_fault: boolean;
  parts: Proof[];
}
export interface KernelReply {
  ok: boolean;
  message?: string;
  at?: number;
  text: string;
  domain: string;
  form: Form;
  proof: Proof;
  features?: string[];
}

export interface Problem {
  name: string;
  positive: string;
  negative: string;
  norm: number;
  margin: number | string;
  b: number;
  primal: number | string;
  dual: number;
  gap: number | string;
  support: number;
  optimal: boolean;
  kkt: { condition: string; formula: string; size: number | string; holds: boolean }[];
}
export interface FitReply extends Reply {
  kernel: string;
  spec: Record<string, string>;
  figures: Record<string, unknown>;
  trouble: string;
  classes: number[];
  score?: Record<string, number>;
  problems?: Problem[];
  support?: number;
  loo_bound?: number;
  epsilon?: number;
  components?: number;
}

export interface Term {
  row: number;
  coef: number;
  kernel: number;
  value: number;
}
export interface WhyFunction {
  positive?: string;
  negative?: string;
  f: number;
  offset: number;
  count: number;
  enough?: number;
  terms: Term[];
}
export interface WhyReply extends Reply {
  said?: string;
  value?: number | string;
  neighbours?: { row: number; distance: number }[];
  functions?: WhyFunction[];
}

// Objects as the library has read them. `shown`: what each looks like.
export interface ObjectShown {
  text?: string;
  graph?: { labels: string[]; at: number[]; edges: number[] };
  series?: number[];
  dims?: number;
}
export interface ObjectsReply extends Reply {
  kind: string;
  format: string;
  n: number;
  classes: string[]; // none: targets are values, or there are none
  shown: ObjectShown[];
  default_kernel: string;
}
export interface ExplainedReply extends Reply {
  said: string;
  functions: { positive: string; negative: string; f: number; largest: { name: string; share: number; value: number; weight: number }[] }[];
}

export interface TestReply extends Reply {
  verdict: string;
  text: string;
  proven: boolean;
  smallest?: number;
  largest?: number;
  witness?: { points: number[]; coefficients: number[]; value: number; error_bound: number };
}
