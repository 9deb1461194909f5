/** The numbers that one line may be registered as. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberVariants } from '../../src/domain/chats/recipient.ts';

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['Brazil with the ninth digit', '5511987654321', ['5511987654321', '551187654321']],
  ['Brazil without it', '551187654321', ['551187654321', '5511987654321']],
  ['Brazil, a landline', '551133334444', ['551133334444']],
  ['Mexico without the 1', '525512345678', ['525512345678', '5215512345678']],
  ['Mexico with it', '5215512345678', ['5215512345678', '525512345678']],
  ['Argentina with the 9', '5491123456789', ['5491123456789', '541123456789']],
  ['Argentina without it', '541123456789', ['541123456789', '5491123456789']],
  ['Germany', '4915112345678', ['4915112345678']],
];

for (const [name, number, variants] of cases) {
  test(`number variants: ${name}`, () => assert.deepEqual(numberVariants(number), variants));
}
