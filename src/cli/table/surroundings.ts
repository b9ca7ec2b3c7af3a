import { MARKETS } from '../../request/lead/markets.ts';
import * as flags from './options.ts';
import type { CommandTable } from './row.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export const HELP_TOPICS = ['exit-codes', 'errors'] as const;

/** What comes before the first request. */
export const SETUP: CommandTable = {
  login: {
    about: 'check your credentials with the service, then store them',
    flags: flags.LOGIN,
    examples: [
      'srq login                            asks for what it needs',
      'srq login --profile shop --keychain',
      "srq login --secret-command 'pass show marketplace'",
    ],
    uses: 'profile',
    noSandbox: true,
    sends: 'asks',
    run: async () => (await import('../../commands/login.ts')).login,
  },
  logout: {
    about: 'forget everything about a profile except its log',
    examples: ['srq logout --profile shop'],
    uses: 'profile',
    noSandbox: true,
    run: async () => (await import('../../commands/logout.ts')).logout,
  },
  status: {
    about: 'show the profile, address and settings in force',
    examples: ['srq status', 'srq status --json --profile shop'],
    uses: 'profile',
    run: async () => (await import('../../commands/status.ts')).status,
  },
  profile: { about: 'list and choose profiles', examples: ['srq profile list', 'srq profile use shop'] },
  'profile list': {
    about: 'list the stored profiles; * marks the one in force',
    examples: ['srq profile list --json'],
    run: async () => (await import('../../commands/profile.ts')).profileList,
  },
  'profile use': {
    about: 'make this the default profile',
    args: [{ name: '<name>', isProfile: true }],
    examples: ['srq profile use shop'],
    noSandbox: true,
    run: async () => (await import('../../commands/profile.ts')).profileUse,
  },
  doctor: {
    about: 'check settings, network, clock and service',
    flags: flags.DOCTOR,
    examples: ['srq doctor', 'srq doctor --create', 'srq doctor --json > report.json   for support; it has no secret'],
    uses: 'log',
    sends: 'creates',
    run: async () => (await import('../../commands/doctor/run.ts')).doctor,
  },
};

export const AROUND: CommandTable = {
  contract: {
    about: "learn the service's API from its OpenAPI or Postman file",
    examples: ['srq contract learn api.yaml', 'srq contract learn collection.json --environment sandbox.json'],
  },
  'contract learn': {
    about:
      'read an OpenAPI file, a Postman collection, or a page of srq contract show that you edited; store what you agree to',
    args: [{ name: '[file...]' }],
    flags: flags.LEARN,
    examples: [
      'srq contract learn api.yaml --set partner_id=42 --yes',
      "srq contract learn api.yaml --operation create='POST /v1/leads'",
      'srq contract learn contract.yaml',
    ],
    uses: 'profile',
    noSandbox: true,
    run: async () => (await import('../../commands/contract/run.ts')).learn,
  },
  'contract show': {
    about: 'print the API description in force, as a page that you can edit and learn again',
    examples: ['srq contract show > contract.yaml'],
    uses: 'profile',
    noSandbox: true,
    run: async () => (await import('../../commands/contract/run.ts')).show,
  },
  'contract forget': {
    about: 'go back to the public API of the marketplace',
    examples: ['srq contract forget --profile shop'],
    uses: 'profile',
    noSandbox: true,
    run: async () => (await import('../../commands/contract/run.ts')).forget,
  },
  sandbox: {
    about: 'run a local marketplace to try everything on',
    flags: flags.SANDBOX,
    examples: ['srq sandbox --port 0 --json', 'srq sandbox --latency 200 --fault reset-after=0.01'],
    uses: 'profile',
    run: async () => (await import('../../commands/sandbox/run.ts')).sandbox,
  },
  template: {
    about: 'write an example file of leads',
    args: [
      { name: '<format>', about: 'csv, as spreadsheets of the market write it, or json', choices: ['csv', 'json'] },
    ],
    flags: flags.TEMPLATE,
    examples: ['srq template csv --market DE --output leads.csv'],
    run: async () => (await import('../../commands/template.ts')).template,
  },
  markets: {
    about: `list the ${MARKETS.length} markets: code, name, calling code, languages`,
    examples: ['srq markets --json'],
    run: async () => (await import('../../commands/markets.ts')).markets,
  },
  completion: {
    about: 'make your shell complete commands, options and profiles',
    args: [{ name: '<shell>', choices: SHELLS }],
    examples: [
      'eval "$(srq completion bash)"       in ~/.bashrc; for zsh the same in ~/.zshrc',
      'srq completion fish > ~/.config/fish/completions/srq.fish',
      'srq completion powershell | Out-String | Invoke-Expression',
    ],
    run: async () => (await import('../../commands/completion/run.ts')).completion,
  },
  __complete: {
    about: 'answer a shell that completes',
    args: [{ name: '<count>' }, { name: '[word...]' }],
    isHidden: true,
    run: async () => (await import('../../commands/completion/run.ts')).complete,
  },
  schema: {
    about: 'print the JSON Schema of what a command prints with --json',
    args: [{ name: '[command...]' }],
    examples: ['srq schema bulk', 'srq schema --json'],
    isHidden: true,
    run: async () => (await import('../../commands/schema.ts')).schema,
  },
  help: {
    about: `print help of a command, or on ${HELP_TOPICS.join(' or ')}`,
    args: [{ name: '[command...]' }],
    flags: flags.HELP,
    examples: ['srq help bulk --all', 'srq help exit-codes'],
    isHidden: true,
    run: async () => (await import('../../commands/help.ts')).help,
  },
};
