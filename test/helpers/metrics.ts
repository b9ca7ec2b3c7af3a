import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { send } from '../sandbox/sandbox-client.ts';

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
/** Why Prometheus' own linter cannot be asked, or null if it can. */
export const promtoolIsMissing = isInstalled ? null : 'promtool is not installed: apt-get install prometheus';

/** Runs Prometheus' own linter. It says what it minds on either stream. */
export function promtool(args: readonly string[], input = ''): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  return { status, said: stdout + stderr };
}

/** What a scrape gets. */
export class Scrape {
  readonly text: string;
  readonly #samples = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
    for (const [, series = '', value = ''] of text.matchAll(/^([a-z][^#\n]*?) (\S+)$/gm))
      this.#samples.set(series, value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value));
  }

  static async of(port: number): Promise<Scrape> {
    const { status, text } = await send('GET', `http://127.0.0.1:${port}/metrics`);
    if (status !== 200) throw new Error(`/metrics answered ${status}`);
    return new Scrape(text);
  }

  /** The value of a series, `name{label="value"}`, or undefined if it is not there. */
  value(series: string): number | undefined {
    return this.#samples.get(series);
  }

  /** The values of a metric by those of its one label. */
  by(name: string): Record<string, number> {
    const found = [...this.#samples].flatMap(([series, value]) => {
      const [, label] = new RegExp(`^${name}\\{\\w+="([^"]*)"\\}$`).exec(series) ?? [];
      return label === undefined ? [] : [[label, value] as const];
    });
    return Object.fromEntries(found);
  }

  /** The names of the metrics that have a value; a histogram has one. */
  get names(): string[] {
    const series = [...this.#samples.keys()].map((each) => each.replace(/\{.*/, ''));
    return [...new Set(series.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
  }
}

/** The metrics that a page, a board or rules name; those of a histogram by its own name. */
export function metricsIn(path: string): string[] {
  const named = readFileSync(path, 'utf8').match(/\bsrq_[a-z_]+/g) ?? [];
  return [...new Set(named.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}
