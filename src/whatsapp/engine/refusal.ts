/** How the engine tells that the network has refused a question. */

/** The code of the refusal; null for a question that was not answered. */
export const refusalOf = (error: unknown): number | null => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'data') : null;
  return typeof code === 'number' ? code : null;
};
