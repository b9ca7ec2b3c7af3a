/** Seeded, so that what is found can be found again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Mulberry32: from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  list<Item>(count: number, draw: () => Item): Item[] {
    return Array.from({ length: count }, draw);
  }

  hex(digits: number): string {
    return this.list(digits, () => this.below(16).toString(16)).join('');
  }

  /** A word that means nothing: of random letters, or of letters of one of thirty scripts. */
  word(): string {
    const [from, count] = this.chance(0.5) ? LATIN : this.pick(SCRIPTS);
    return String.fromCodePoint(...this.list(this.between(3, 8), () => from + this.below(count)));
  }

  sentence(): string {
    return this.list(this.between(2, 5), () => this.word()).join(' ');
  }
}

const LATIN = [0x61, 26] as const;
/** Where the letters of a script begin, and how many follow that are letters all. */
const SCRIPTS =
  `e0+22 3b1+24 430+32 561+38 5d0+27 628+18 710+26 905+48 995+20 a15+20 a95+20 b15+20 ba3+2 c15+20 c95+20 d15+20
  d9a+20 e01+46 ea1+3 f49+30 1000+40 10d0+33 ac00+2000 1200+70 13a0+80 1401+200 1780+35 1820+50 3041+80 30a1+80
  4e00+9000 a000+900 a500+200`
    .split(/\s+/)
    .map((script) => script.split('+'))
    .map(([from = '', count]) => [Number.parseInt(from, 16), Number(count)] as const);
