// The words of the page, a file for each language.
import { useStore, type Language } from "../store";
import { en, type Texts } from "./en";
import { es } from "./es";
import { ru } from "./ru";

export const languages: Record<Language, { name: string; texts: Texts }> = {
  en: { name: "English", texts: en },
  es: { name: "Español", texts: es },
  ru: { name: "Русский", texts: ru },
};
export const useTexts = (): Texts => languages[useStore((s) => s.language)].texts;
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
// "{n} points" with n = 3: "3 points"
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
