/** Copies text to the clipboard, also over plain http. */
import { texts } from '../base/texts.ts';

/** The clipboard API exists only on https and localhost; elsewhere `execCommand` still works. */
const copy = async (text: string): Promise<boolean> => {
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- the type leaves out plain http
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // While a dialog is open, nothing outside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- there is no other way
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
};

/** Throws where the browser forbids it. */
export const copyText = async (text: string): Promise<void> => {
  if (!(await copy(text))) throw new Error(texts.notCopied);
};
