import { expect, test } from 'vitest';
import { errorValueWithin, isErrorValue } from '../../src/request/lead/spreadsheet-error.ts';

const english = ['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A', '#SPILL!', '#CALC!', '#ERROR!'];
const german = ['#NULL!', '#WERT!', '#BEZUG!', '#NAME?', '#ZAHL!', '#NV', '#ÜBERLAUF!'];
const spanish = ['#¡NULO!', '#¡DIV/0!', '#¡VALOR!', '#¡REF!', '#¿NOMBRE?', '#¡NUM!', '#N/D', '#¡DESBORDAMIENTO!'];
const portuguese = ['#NULO!', '#VALOR!', '#NOME?', '#NÚM!', '#N/D', '#DESPEJAR!'];
const french = ['#NUL!', '#VALEUR!', '#NOM?', '#NOMBRE!', '#N/A', '#PROPAGATION!'];
const italian = ['#NULLO!', '#VALORE!', '#RIF!', '#NOME?', '#N/D', '#ESPANSIONE!'];

test.each([...english, ...german, ...spanish, ...portuguese, ...french, ...italian, 'Err:502', '#nv'])(
  '%s is an error value',
  (text) => {
    expect([isErrorValue(text), errorValueWithin(`1200-109, ${text}`)]).toEqual([true, text]);
  },
);

test.each(['', '#', 'N/A', 'NV', '#1', '#NV 2', '#REF', '#HILFE!', '#VALUE! of the house', 'x#N/A', 'Rua #12', 'Ref!'])(
  '%j is none',
  (text) => {
    expect(isErrorValue(text)).toBe(false);
  },
);

test('a text without an error value among its words has none', () => {
  expect(errorValueWithin('Calle 45 #23-10, Bogotá')).toBeNull();
  expect(errorValueWithin('Rua das Flores 1#N/A')).toBeNull();
});
