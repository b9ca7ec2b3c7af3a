import type { Confidence, Finding, Question } from '../../request/contract.ts';

/** What is gathered while a document is read. Nothing is said twice. */
export interface Findings {
  readonly findings: Finding[];
  readonly questions: Question[];
  readonly notes: readonly string[];
  /** `pointer` is one of the described document; it is kept as one of the document that was given. */
  add(setting: string, value: string, pointer: string, confidence: Confidence, why: string): void;
  ask(question: Question): void;
  note(text: string): void;
}

const MAX_VALUE = 300;
/** Names in a document may be of any length. */
const MAX_TEXT = 2000;

export function openNotebook(where: (pointer: string) => string): Findings {
  const findings: Finding[] = [];
  const questions: Question[] = [];
  const notes = new Set<string>();
  return {
    findings,
    questions,
    get notes() {
      return [...notes];
    },
    add(setting, value, pointer, confidence, why) {
      findings.push({
        setting,
        value: cut(value, MAX_VALUE),
        where: pointer === '' ? '' : where(pointer),
        confidence,
        why,
      });
    },
    ask(question) {
      if (questions.some(({ name }) => name === question.name)) return;
      questions.push({ ...question, text: cut(question.text, MAX_TEXT) });
    },
    note(text) {
      notes.add(cut(text, MAX_TEXT));
    },
  };
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
