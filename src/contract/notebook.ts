import type { Confidence, Finding, Question } from '../model/contract.ts';

/** What is gathered while a document is read. Nothing is said twice. */
export interface Notebook {
  readonly findings: Finding[];
  readonly questions: Question[];
  readonly notes: string[];
  /** `pointer` is one of the described document; it is kept as one of the document that was given. */
  find(setting: string, value: string, pointer: string, confidence: Confidence, why: string): void;
  ask(question: Question): void;
  note(text: string): void;
}

const LONGEST_VALUE = 300;

export function openNotebook(where: (pointer: string) => string): Notebook {
  const findings: Finding[] = [];
  const questions: Question[] = [];
  const notes: string[] = [];
  return {
    findings,
    questions,
    notes,
    find(setting, value, pointer, confidence, why) {
      const told = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE - 1)}…` : value;
      findings.push({ setting, value: told, where: pointer === '' ? '' : where(pointer), confidence, why });
    },
    ask(question) {
      if (!questions.some(({ name }) => name === question.name)) questions.push(question);
    },
    note(text) {
      if (!notes.includes(text)) notes.push(text);
    },
  };
}
