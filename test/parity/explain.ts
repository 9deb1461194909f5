/** Which known differences explain those that were found. */
import type { Difference } from './compare.ts';

export interface Entry {
  /** In docs/internals/wire.md. */
  readonly id: string;
  /** Lines of `compare.ts`, where `*` stands for anything. */
  readonly patterns: readonly string[];
  /** Scenarios that may differ in this way; any, if it is missing. */
  readonly scenarios?: readonly string[];
  /** Scenarios that must not. */
  readonly except?: readonly string[];
  /** It is seen by the test in which time passes alone. */
  readonly takesTime?: true;
}

const patternOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`);

/** Which of two stanzas comes first depends on timing. */
const isOrder = (pattern: string): boolean => pattern.includes(' < ');

/** Differences without an entry, and patterns of entries without a difference. */
export const judge = (
  entries: readonly Entry[],
  found: readonly Difference[],
): { readonly unexplained: readonly string[]; readonly unused: readonly string[] } => {
  const unused = new Set(
    entries.flatMap(({ id, patterns }) => patterns.filter((one) => !isOrder(one)).map((one) => `${id}: ${one}`)),
  );
  const matchers = entries.flatMap(({ patterns, ...entry }) =>
    patterns.map((pattern) => ({ ...entry, name: `${entry.id}: ${pattern}`, regexp: patternOf(pattern) })),
  );
  const unexplained = new Set<string>();
  for (const { scenario, text } of found) {
    const fitting = matchers.filter(
      ({ scenarios, except, regexp }) =>
        (scenarios?.includes(scenario) ?? true) && except?.includes(scenario) !== true && regexp.test(text),
    );
    for (const { name } of fitting) unused.delete(name);
    if (fitting.length === 0) unexplained.add(`${scenario}: ${text}`);
  }
  return { unexplained: [...unexplained], unused: [...unused] };
};
