/** The codes of errors by their kinds, several to a text. Codes never change, but messages may. */
const CODES = {
  fault: ['srq.fault'],
  usage: [
    'arguments.missing arguments.invalid option.unknown flags.contradict flags.incomplete live.not-confirmed',
    'prompt.declined columns.undecided column.unknown field.unknown field.constant-is-column',
    'mapping.unclear mapping.unusable mapping.unwritable file.twice file.only-one',
    'rows.sent-before results.of-sandbox output.not-replaced output.unwritable run.unknown sheet.unknown sheet.unclear',
    'market.unknown profile.bad-name profile.unknown profile.leads-elsewhere login.incomplete',
    'secret.in-arguments store.password-shown store.missing deletion.not-confirmed',
    'sandbox.own-process sandbox.bad-call port.unavailable contract.undecided',
    'contract.not-confirmed operation.unknown answer.none-waiting validate.missing doubt.unknown',
    'doubt.several rows.not-in-log',
  ],
  settings: [
    'address.invalid address.unencrypted settings.unusable settings.unwritable keychain.unusable',
    'contract.unusable contract.other-service clock.wrong',
    'certificate.unchecked proxy.unusable store.bad-address',
  ],
  input: [
    'file.missing file.unreadable file.wrong-kind file.damaged file.too-large file.no-header file.no-rows',
    'file.changed csv.unreadable json.unreadable json.nested encoding.mismatch column.twice results.ambiguous',
    'request.malformed request.too-many request.invalid recording.unusable recording.not-queued',
    'document.unreadable document.too-large',
    'document.bad-schema operation.not-found operation.unusable parameter.not-found parameter.not-allowed',
    'address.outside',
  ],
  rejected: ['request.rejected request.denied request.refused-here'],
  auth: ['auth.missing auth.no-profile auth.no-secret auth.refused auth.token-refused auth.denied'],
  unreachable: ['service.unreachable'],
  service: [
    'service.closed service.no-verdict service.redirects service.wrong-address service.failed service.busy',
    'service.false-duplicate service.certificate-ends token.unusable-answer request.not-sent',
    'request.not-tried request.not-taken',
  ],
  stopped: ['answer.unreadable file.changed-under-way rows.error-budget rows.same-refusal rows.too-many-doubts'],
  unknown: ['request.in-doubt answer.unproven answer.same-identifier'],
  duplicate: ['request.is-duplicate'],
  log: [
    'log.in-use log.under-way log.unwritable log.unreadable log.damaged log.incomplete log.changed',
    'log.not-own log.no-lock log.closed results.unwritable store.unavailable store.not-ready',
    'store.unsafe store.version store.read-only store.failed-over store.other store.behind store.log-unknown',
  ],
  'platform.no-lock': ['platform.no-lock'],
  interrupted: ['prompt.left interrupted.signal interrupted.unfinished'],
  terminated: ['terminated.signal'],
} as const;

/** The kinds of failure of a command, each with an exit code. `srq help errors` lists them. */
export type ErrorCode = keyof typeof CODES;

type CodesOf<Text extends string, Found extends string = never> = Text extends `${infer Word} ${infer Rest}`
  ? CodesOf<Rest, Found | Word>
  : Found | Text;

/** The stable code of an error, such as `auth.refused`. `srq help errors` lists all of them. */
export type ErrorReason = CodesOf<(typeof CODES)[ErrorCode][number]>;

/** All errors by their codes, with the kind, which decides the exit code. Codes of findings are in `finding.ts`. */
export const ERRORS = Object.fromEntries(
  Object.entries(CODES).flatMap(([kind, texts]) =>
    texts.flatMap((text) => text.split(' ').map((code) => [code, { kind }])),
  ),
) as Readonly<Record<ErrorReason, { readonly kind: ErrorCode }>>;
