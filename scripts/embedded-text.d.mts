import type { Plugin } from 'vitest/config';

export function embeddedText(): Plugin;
