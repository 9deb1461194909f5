/** Letters that people take for the same have one form, and no text takes long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folded, lettersOf } from '../../src/domain/messages/letters.ts';

/** The first level of Unicode's collation: letters without accents and case. */
const collation = new Intl.Collator('und', { sensitivity: 'base' });

test('a letter with an accent, a stroke or another form is the plain one, as the collation of Unicode has it', () => {
  const letters = Array.from({ length: 0x24f - 0xc0 + 1 }, (_, index) => String.fromCodePoint(0xc0 + index));
  const forms = [...letters, 'ẞ', 'Ạ', 'ạ', 'Ỳ', 'ỳ', 'ﬁ', 'Ａ', 'ｚ', 'Ⅳ', '𝐀', 'Ⓩ'];
  const plain = Array.from('abcdefghijklmnopqrstuvwxyz').concat('ae', 'oe', 'ss', 'ij', 'fi', 'iv');
  const differing = forms.flatMap((form) => {
    const equal = plain.find((each) => collation.compare(each, form) === 0);
    return equal === undefined || lettersOf(form) === equal ? [] : [`${form}: ${lettersOf(form)}, not ${equal}`];
  });
  assert.deepEqual(differing, []);
  assert.equal(folded('ÇIKIŞ'), folded('çıkış'));
});

test('what has been folded stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      assert.equal(folded(folded(text)), folded(text));
      assert.equal(lettersOf(lettersOf(text)), lettersOf(text));
    }),
  );
});

test('no text of 65,536 characters takes long', () => {
  const units = [
    '\u0315',
    '\u0300',
    '\u0315\u0300',
    '\u0900',
    '\u0344',
    '\uFDFA',
    '\u3300',
    '\uFEFF',
    'ﬃ',
    'ß',
    'a\u0315\u0300',
    '각',
    '\uD800',
  ];
  for (const unit of units) {
    const text = unit.repeat(65_536 / unit.length);
    const begin = process.cpuUsage();
    lettersOf(text);
    const { user, system } = process.cpuUsage(begin);
    assert.ok((user + system) / 1_000 < 250, `U+${unit.codePointAt(0)!.toString(16)}: ${(user + system) / 1_000} ms`);
  }
});
