/** A finding of `handset doctor`. */

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly text: string;
}

export const ok = (text: string): Finding => ({ verdict: 'ok', text });
export const warning = (text: string): Finding => ({ verdict: 'warning', text });
export const problem = (text: string): Finding => ({ verdict: 'problem', text });
