/** Texts as people compare them: without case, accents, forms of letters and invisible characters (docs/spec/messages.md, Search). */

/** Characters of a text that are compared: the longest text that is sent. */
const maxCompared = 65_536;

/** Marks, which stand with a letter. */
const marks = String.raw`\p{M}`;

/** All but two ligatures of Arabic sentences, of which `normalize` makes up to 18 characters each. */
const normalizable = /[^\uFDFA\uFDFB]+/g;

/**
 * Accents. The marks of other scripts are vowels, which make another word; of these only the nukta goes. Beside them what nobody sees
 * (format characters), and the Arabic tatweel, which stretches a word.
 */
const accents = String.raw`[\p{M}&&[${[
  'Inherited',
  'Common',
  'Latin',
  'Greek',
  'Cyrillic',
  'Hebrew',
  'Arabic',
  'Syriac',
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')}]]\p{Cf}\u093C\u09BC\u0A3C\u0ABC\u0B3C\u0CBC\u0640`;

const escapeOf = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`;

/** The members of a class up to U+FFFF, as ranges. */
const rangesOf = (members: string): string => {
  const isMember = new RegExp(`[${members}]`, 'v');
  let ranges = '';
  let begin: number | null = null;
  for (let code = 0; code <= 0x1_0000; code += 1) {
    const isIn = code <= 0xffff && isMember.test(String.fromCharCode(code));
    if (isIn) begin ??= code;
    if (isIn || begin === null) continue;
    ranges += `${escapeOf(begin)}-${escapeOf(code - 1)}`;
    begin = null;
  }
  return ranges;
};

interface Patterns {
  /**
   * UAX #15, Stream-Safe Text Format: no language needs more than 30 marks on a letter. `normalize` sorts each run of marks, in time that grows
   * with the square of its length.
   */
  readonly longRuns: RegExp;
  readonly accents: RegExp;
}

const patternsOf = (marksIn: string, accentsIn: string, flags: string): Patterns => ({
  longRuns: new RegExp(`([${marksIn}]{30})[${marksIn}]+`, flags),
  accents: new RegExp(`[${accentsIn}]+`, flags),
});

const forAll = patternsOf(marks, accents, 'gv');
/** Without surrogates, V8 takes a thirtieth of the time. Made at the first use: 20 ms. */
let forBmp: Patterns | null = null;

const patternsFor = (text: string): Patterns => {
  if (/[\uD800-\uDFFF]/.test(text)) return forAll;
  forBmp ??= patternsOf(rangesOf(marks), rangesOf(accents), 'g');
  return forBmp;
};

/**
 * Letters that `normalize` does not take apart, as the root collation of CLDR compares them, with the Turkish ı; and those that
 * Lucene's ArabicNormalizer and PersianNormalizer take for the same.
 */
const simpleLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  ŧ: 't',
  þ: 'th',
  ς: 'σ',
  ґ: 'г',
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const otherLetters = new RegExp(`[${Object.keys(simpleLetters).join('')}]`, 'g');

const isAscii = (text: string): boolean => !/[^\0-\x7F]/.test(text);

/** The text, up to 65,536 characters of it, with one form for letters that people take for the same. */
export const folded = (text: string): string => {
  const whole = text.slice(0, maxCompared);
  if (isAscii(whole)) return whole.toLowerCase();
  const { longRuns, accents: unseen } = patternsFor(whole);
  return whole
    .replaceAll(longRuns, '$1')
    .replaceAll(normalizable, (part) => part.normalize('NFKD'))
    .replaceAll(unseen, '')
    .toLowerCase()
    .replaceAll(otherLetters, (letter) => simpleLetters[letter]!);
};

const notLetters = /[^\p{L}\p{M}\p{N}]+/gu;

/** The folded letters and digits alone. Of a text that has none, everything but blanks. */
export const lettersOf = (text: string): string => {
  const whole = folded(text);
  return whole.replaceAll(notLetters, '') || whole.replaceAll(/\s+/g, '');
};
