import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
