/** The recipient as people write it: a number in any of the usual spellings, or a JID. */

export const recipientOf = (text: string): { readonly to: string } | { readonly toNumber: string } =>
  text.includes('@') ? { to: text } : { toNumber: text.replace(/^\+/, '').replace(/[\s().\-/]/g, '') };
