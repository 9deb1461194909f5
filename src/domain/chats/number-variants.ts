/** Alternative registrations of a number: three countries changed their numbers (docs/spec/messages.md, Recipient). */
import { type Jid, jidKind, jidUser, phoneJid } from '../jid.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const rules: readonly Rule[] = [
  // Brazil: the ninth digit of mobile numbers. Without it they start with 6 to 9 (Anatel, 2012 to 2016), landlines with 2 to 5.
  { pattern: /^55(\d{2})9([6-9]\d{7})$/, replacement: '55$1$2' },
  { pattern: /^55(\d{2})([6-9]\d{7})$/, replacement: '55$19$2' },
  // Mexico: the 1 of mobile numbers until 2019.
  { pattern: /^521(\d{10})$/, replacement: '52$1' },
  { pattern: /^52(\d{10})$/, replacement: '521$1' },
  // Argentina: the 9 of mobile numbers dialled from abroad.
  { pattern: /^549(\d{10})$/, replacement: '54$1' },
  { pattern: /^54(\d{10})$/, replacement: '549$1' },
];

export const numberVariants = (number: string): readonly string[] => {
  const rule = rules.find(({ pattern }) => pattern.test(number));
  return rule === undefined ? [number] : [number, number.replace(rule.pattern, rule.replacement)];
};

export const spellingsOf = (jid: Jid): readonly Jid[] =>
  jidKind(jid) === 'phone' ? numberVariants(jidUser(jid)).map(phoneJid) : [jid];
