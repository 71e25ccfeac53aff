// The words of the page, a file for each language.
import { store, useStore, type Language } from "../store";
import { en, type Plural, type Texts } from "./en";
import { es } from "./es";
import { ru } from "./ru";

export const languages: Record<Language, { name: string; texts: Texts }> = {
  en: { name: "English", texts: en },
  es: { name: "Español", texts: es },
  ru: { name: "Русский", texts: ru },
};
export const useTexts = (): Texts => languages[useStore((s) => s.language)].texts;
export const texts = (): Texts => languages[store.state.language].texts;
// Of what went wrong: the library speaks English, the page the reader's language.
export const languageOf = (trouble: string, t: Texts): "en" | undefined => (trouble === t.cancelled || trouble === t.too_long ? undefined : "en");
export function chosenLanguage(): Language {
  const kept = safely(() => localStorage.getItem("mercer-language"));
  for (const each of [kept, ...navigator.languages]) {
    const short = each?.slice(0, 2) as Language | undefined;
    if (short && short in languages) return short;
  }
  return "en";
}
// Where the browser keeps nothing, nothing is kept.
export function safely<T>(f: () => T): T | null {
  try {
    return f();
  } catch {
    return null;
  }
}
// "3 points", "1 point"; "3 точки", "5 точек".
export function counted(forms: Plural, n: number, language: Language): string {
  return filled(forms[new Intl.PluralRules(language).select(n)] ?? forms.other, { n });
}
// "{n} points" with n = 3: "3 points"
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
