import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { edited, learn, ready } from '../doors/learn.ts';
import { askToken, FORM, handClock, LEAD, type Reply, sandboxWith, send } from './sandbox-client.ts';

const FOLDER = join(import.meta.dirname, 'conversations');

/** What a sandbox follows, an API description or a page, and its further options. */
interface Setting {
  readonly description?: object;
  readonly page?: string;
  readonly operations?: Readonly<Record<string, string>>;
  /** What a person says of its parameters. */
  readonly values?: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

class Conversation {
  readonly #clock = handClock();
  #sandbox: Sandbox | null = null;
  #token = '';

  async open({ description, page, operations = {}, values = {}, ...options }: Setting): Promise<void> {
    const said = { operations: { validate: 'none', ...operations }, values };
    const learned = page === undefined ? description && learn(description, said) : edited(page);
    const contract = learned && (await ready(learned.contract));
    const known = { clientId: '4711', clientSecret: 'open-sesame', now: this.#clock.now };
    this.#sandbox = await sandboxWith({ ...known, ...options, ...(contract && { contract }) });
    this.#token = '';
  }

  /** Carries out a line, and returns what is answered. */
  async say(line: string): Promise<string[]> {
    const [word = '', ...words] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    if (word === 'sleep') this.#clock.passMs(Number(words[0]) * 1000);
    if (word === 'sleep') return [];
    const sandbox = this.#sandbox ?? expect.fail('no sandbox');
    return this.#told(sandbox, await this.#answer(sandbox, word, words).catch((error) => String(error.code)));
  }

  async #answer(sandbox: Sandbox, word: string, words: readonly string[]): Promise<Reply> {
    const headers = Object.fromEntries(
      words.flatMap((each) => [/^([\w-]+): (.*)$/s.exec(each)?.slice(1) ?? []]).filter(({ length }) => length > 0),
    );
    const rest = words.filter((each) => !/^[\w-]+: /.test(each));
    const changes = Object.fromEntries(rest.map((each) => /^([^=]*)=(.*)$/s.exec(each)?.slice(1) ?? []));
    if (word === 'token') {
      const reply = await askToken(sandbox, changes);
      this.#token = JSON.parse(reply.text).access_token ?? this.#token;
      return reply;
    }
    const own = { ...FORM, ...(this.#token !== '' && { authorization: `Bearer ${this.#token}` }), ...headers };
    if (word === 'create' || word === 'validate')
      return send(
        'POST',
        `${sandbox.baseUrl}/v1/request/${word}`,
        own,
        new URLSearchParams({ ...LEAD, ...changes }).toString(),
      );
    const [path = '', body = ''] = rest;
    return send(
      word,
      `${sandbox.baseUrl}${path}`,
      own,
      body.replace(/^(.)\*(\d+)$/, (_, letter, times) => letter.repeat(Number(times))),
    );
  }

  #told({ baseUrl }: Sandbox, reply: Reply | string): string[] {
    if (typeof reply === 'string') return [`> ${reply}`];
    const { status, headers, text } = reply;
    const told = SHOWN.flatMap((name) =>
      headers[name] === undefined || headers[name] === USUAL[name] ? [] : `${name}: ${headers[name]}`,
    );
    const body = text
      .replaceAll(baseUrl.replace('http://', ''), '127.0.0.1:PORT')
      .replace(/(?<="(?:access_)?token": ?")[\w-]+/g, 'TOKEN')
      .replace(/\b[0-9a-f]{32}\b/g, 'KEY')
      .replace(/(.)\1{99,}/g, (all, letter) => `${letter}*${all.length}`);
    const lines = body === '' ? [] : body.replace(/(.{80,}?,)(?=["{])/g, '$1\n').split('\n');
    return [[`> ${status}`, ...told].join(' '), ...lines.map((line) => `>   ${line}`.trimEnd())];
  }
}

const SHOWN = ['content-type', 'retry-after', 'location', 'allow', 'www-authenticate', 'keep-alive'];
const USUAL: Readonly<Record<string, string>> = {
  ...{ 'content-type': 'application/json', 'keep-alive': 'timeout=75' },
};

/** `npm test -- -u` writes what was answered. */
test.each(readdirSync(FOLDER).filter((name) => name.endsWith('.md')))(
  'a conversation with the sandbox: %s',
  async (name) => {
    const path = join(FOLDER, name);
    const conversation = new Conversation();
    const parts = readFileSync(path, 'utf8').split(/(^```\w+\n[\s\S]*?^```$)/m);
    const told: string[] = [];
    for (const part of parts) {
      const [, kind, inside = ''] = /^```(\w+)\n([\s\S]*?)\n?```$/.exec(part) ?? [];
      if (kind === 'yaml') await conversation.open(parse(inside) ?? {});
      if (kind !== 'http') told.push(part);
      else {
        const lines: string[] = [];
        for (const line of inside.split('\n').filter((each) => each !== '' && !each.startsWith('>')))
          lines.push(line, ...(await conversation.say(line)));
        told.push(`\`\`\`http\n${lines.join('\n')}\n\`\`\``);
      }
    }
    await expect(told.join('')).toMatchFileSnapshot(path);
  },
);
