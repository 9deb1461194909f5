/** Compares texts as people do, ignoring case, accents, letter forms and invisible characters (docs/spec/messages.md, Search). */
const maxCompared = 65_536;

const marks = String.raw`\p{M}`;

/** Excludes two ligatures of Arabic phrases, which `normalize` expands to up to 18 characters each. */
const normalizable = /[^\uFDFA\uFDFB]+/g;

/** Marks that do not change the word (of non-Latin scripts only the nukta), invisible format characters and the tatweel. */
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
  /** UAX #15, Stream-Safe Text Format: no language needs more than 30 marks on a letter, and `normalize` sorts each run in quadratic time. */
  readonly longRuns: RegExp;
  readonly accents: RegExp;
}

const patternsOf = (marksIn: string, accentsIn: string, flags: string): Patterns => ({
  longRuns: new RegExp(`([${marksIn}]{30})[${marksIn}]+`, flags),
  accents: new RegExp(`[${accentsIn}]+`, flags),
});

const forAll = patternsOf(marks, accents, 'gv');
/** For text without surrogates, matched 30 times faster. Built at first use, in 20 ms. */
let forBmp: Patterns | null = null;

const patternsFor = (text: string): Patterns => {
  if (/[\uD800-\uDFFF]/.test(text)) return forAll;
  forBmp ??= patternsOf(rangesOf(marks), rangesOf(accents), 'g');
  return forBmp;
};

/** Not decomposed by `normalize`: per the root collation of CLDR, with the Turkish ı, and Lucene's ArabicNormalizer and PersianNormalizer. */
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

/** Without any letter or digit, everything but spaces. */
export const lettersOf = (text: string): string => {
  const whole = folded(text);
  return whole.replaceAll(notLetters, '') || whole.replaceAll(/\s+/g, '');
};
