import { writeFileSync } from 'node:fs';

/** The ways in which a machine's keychain can behave. */
const BEHAVIOURS = {
  sound: `
    setPassword(secret) { const all = load(); all[this.name] = secret; fs.writeFileSync(file, JSON.stringify(all)); }
    getPassword() { return load()[this.name] ?? null; }
    deletePassword() { const all = load(); delete all[this.name]; fs.writeFileSync(file, JSON.stringify(all)); }`,
  forgetful: 'setPassword(secret) { this.secret = secret; } getPassword() { return this.secret ?? null; }',
  locked: 'setPassword() { for (;;); } getPassword() { for (;;); }',
  talkative: 'setPassword() {} getPassword() { process.stdout.write("Unlocked.\\n"); return null; }',
  absent:
    'setPassword() { throw new Error("No \\u001b[31mkeychain\\nhere"); } getPassword() { throw new Error("Nor here"); }',
};

/**
 * Writes a library with the interface of the real one. It stores secrets in a file beside itself, by service and
 * account.
 */
export function fakeKeychain(path: string, behaviour: keyof typeof BEHAVIOURS): string {
  const code = `
const fs = require('node:fs');
const file = __filename + '.json';
const load = () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {});
exports.Entry = class {
  constructor(service, account, options) { this.name = [service, account, options.linux.store].join('|'); }
  ${BEHAVIOURS[behaviour]}
};`;
  writeFileSync(path, code);
  return path;
}
