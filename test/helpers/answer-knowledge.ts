import { type AnswerMemory, NO_MEMORY } from '../../src/request/answer-memory.ts';
import type { KnownOfCreate } from '../../src/service/answers/classify.ts';
import { judgeCreation } from '../../src/service/answers/creation.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';

/** Returns what is known of a service without a description, given the creations that `memory` remembers. */
export const knowing = (memory: AnswerMemory = NO_MEMORY, sent = new Redactor([])): KnownOfCreate => ({
  duplicate: [],
  unavailableIsNotActed: false,
  judge: (answer) =>
    judgeCreation(answer, sent, { path: '/v1/request/create', identifiers: [], errorTexts: [], memory }),
});
