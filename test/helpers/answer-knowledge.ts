import type { KnownOfCreate } from '../../src/api/classify.ts';
import { judgeCreation } from '../../src/api/creation.ts';
import { Redactor } from '../../src/api/mask.ts';
import { type AnswerMemory, NO_MEMORY } from '../../src/model/answer-memory.ts';

/** What is known of a service that nobody has described, after the creations that `memory` remembers. */
export const knowing = (memory: AnswerMemory = NO_MEMORY, sent = new Redactor([])): KnownOfCreate => ({
  duplicate: [],
  unavailableIsNotActed: false,
  judge: (answer) =>
    judgeCreation(answer, sent, { path: '/v1/request/create', identifiers: [], errorTexts: [], memory }),
});
