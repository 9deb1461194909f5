/** A message of the log in a few words. */

export interface ShownMessage {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly from: string;
  readonly fromNumber: string | null;
  readonly type: string;
  readonly text: string | null;
  readonly state: string;
  readonly timestamp: string;
  readonly deletedAt: string | null;
}

const longest = 60;

export const wordsOf = ({ type, text, deletedAt }: ShownMessage): string => {
  if (deletedAt !== null) return '(deleted)';
  const line = (text ?? '').replaceAll(/\s+/g, ' ');
  const short = line.length > longest ? `${line.slice(0, longest)}…` : line;
  return type === 'text' ? short : `(${type}) ${short}`.trimEnd();
};
