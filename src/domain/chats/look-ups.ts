/** `numbers`: accounts of numbers; `people`: about texts and pictures. Limited (docs/spec/conversation.md, Look-ups). */
export type LookUpKind = 'numbers' | 'people';

export interface LookUpStore {
  take(
    deviceId: number,
    kind: LookUpKind,
    request: { readonly count: number; readonly max: number; readonly now: number },
  ): Promise<boolean>;
}
