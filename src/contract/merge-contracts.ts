import { type Contract, type Finding, type Proposal, parametersOf, type Question } from '../model/contract.ts';
import {
  byOperation,
  OPERATION_NAMES,
  REQUEST_OPERATION_NAMES,
  type RequestOperationName,
} from '../model/operations.ts';
import { chosen, has, type Merge, mergedOperation } from './merge-operations.ts';

/**
 * What two documents on one service come to. The first one is believed: an OpenAPI description before a collection, which
 * shows examples only. The second fills what the first leaves open. Contradictions are noted, each with both values and
 * places. A question stays if neither document answers it.
 */
export function mergeProposals(first: Proposal, second: Proposal): Proposal {
  const merge: Merge = { first: withFile(first), second: withFile(second), filled: new Set(), notes: [] };
  const [one, other] = [merge.first.contract, merge.second.contract];
  // In the order in which a person reads what is contradicted.
  const requests = byOperation<RequestOperationName, Contract>(REQUEST_OPERATION_NAMES, (name) =>
    mergedOperation(merge, name),
  );
  const token = mergedOperation(merge, 'token');
  const urls = new Set(one.servers.map(({ url }) => url));
  const contract: Contract = {
    version: 1,
    source: mergedSource(one, other),
    ...requests,
    token,
    hasValidate: one.hasValidate ?? other.hasValidate,
    basePath: basePathOf(merge),
    unavailableIsNotActed: chosen(
      merge,
      'create.unavailable',
      one.unavailableIsNotActed || null,
      other.unavailableIsNotActed,
    ),
    servers: [...one.servers, ...other.servers.filter(({ url }) => !urls.has(url))],
    findings: mergedFindings(merge),
  };
  return {
    contract,
    questions: mergedQuestions(merge, contract),
    notes: [...new Set([...first.notes, ...second.notes, ...merge.notes])],
  };
}

/** The same proposal whose findings name their file, as those of a merged one do already. */
function withFile(proposal: Proposal): Proposal {
  const [file, ...others] = proposal.contract.source?.files ?? [];
  if (file === undefined || others.length > 0) return proposal;
  const findings = proposal.contract.findings.map((each) => ({
    ...each,
    where: each.where && `${file} ${each.where}`,
  }));
  return { ...proposal, contract: { ...proposal.contract, findings } };
}

function mergedSource(one: Contract, other: Contract): Contract['source'] {
  if (one.source === null || other.source === null) return one.source ?? other.source;
  return {
    ...one.source,
    files: [...one.source.files, ...other.source.files],
    kind: [one.source.kind, other.source.kind].join(' + '),
  };
}

function basePathOf({ first, second }: Merge): string {
  const [one, other] = [first.contract, second.contract];
  const isSilent = one.servers.length === 0 && one.basePath === '';
  return isSilent && one.create.path === other.create.path ? other.basePath : one.basePath;
}

/** Each setting has the findings of the document that it was taken from. */
function mergedFindings({ first, second, filled }: Merge): readonly Finding[] {
  const isFilled = ({ setting }: Finding): boolean =>
    filled.has(setting) || [...filled].some((each) => setting.startsWith(`${each}.`));
  return [
    ...first.contract.findings.filter((each) => !isFilled(each)),
    ...second.contract.findings.filter((each) => isFilled(each)),
  ];
}

/**
 * The first document's questions that the second does not answer; the second's own where the first has not got the
 * operation they are about. A collection asks for what a description says is not needed.
 */
function mergedQuestions(merge: Merge, contract: Contract): readonly Question[] {
  const { first, second } = merge;
  const isForeign = OPERATION_NAMES.some((role) => !has(first, role));
  const asked = [...first.questions, ...(isForeign ? second.questions : [])];
  const byName = new Map(asked.map((each) => [each.name, each]));
  return [...byName.values()].filter(({ name }) => {
    const [kind = '', subject = ''] = name.split(/:(.*)/s);
    if (kind === 'operation') return !has(first, subject) && !has(second, subject);
    if (kind === 'idempotency') return (contract.create.idempotency?.windowSeconds ?? 0) === 0;
    const subjects = parametersOf(contract).filter(({ path }) => path.at(-1) === subject);
    return subjects.length === 0 || subjects.some(({ constant }) => constant === null);
  });
}
