import type { Confidence, ContractFinding, Question } from '../version-1/contract.ts';

/** Collects findings, questions and notes while a document is read. Each is kept only once. */
export interface Findings {
  readonly findings: ContractFinding[];
  readonly questions: Question[];
  readonly notes: readonly string[];
  /**
   * Adds a finding. `pointer` points into the described document, and is converted to one into the original document.
   */
  add(setting: string, value: string, pointer: string, confidence: Confidence, why: string): void;
  ask(question: Question): void;
  note(text: string): void;
}

const MAX_VALUE = 300;
/** Maximum length of a text, because names in a document may have any length. */
const MAX_TEXT = 2000;

export function openNotebook(where: (pointer: string) => string): Findings {
  const findings: ContractFinding[] = [];
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
