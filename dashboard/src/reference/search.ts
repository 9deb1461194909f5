/** Search in guides, operations and events, errors included: every word must be somewhere, and names count more than descriptions. */
import {
  type Document,
  type Entry,
  type GuideEntry,
  type OperationEntry,
  type Schema,
  fieldsOf,
  parametersOf,
  resolve,
  successOf,
} from './document.ts';

export interface Indexed {
  readonly entry: Entry;
  /** The texts that are searched, the most telling first. */
  readonly texts: readonly string[];
}

/** `chatPicture` is found by "picture", too. */
const withWords = (text: string): string => `${text} ${text.replaceAll(/([a-z])([A-Z])/g, '$1 $2')}`.toLowerCase();

const schemasOf = (document: Document, entry: Exclude<Entry, GuideEntry>): readonly (Schema | undefined)[] => {
  if (entry.kind === 'event') return [entry.content.schema];
  const { operation } = entry;
  const contents = [operation.requestBody?.content, successOf(document, operation).content];
  return contents.map((content) => content?.['application/json']?.schema);
};

/** The names of all fields and parameters. */
const namesIn = (document: Document, entry: Exclude<Entry, GuideEntry>): string => {
  const schemas = schemasOf(document, entry).filter((schema) => schema !== undefined);
  const parameters = entry.kind === 'event' ? [] : parametersOf(document, entry.operation);
  return [...parameters, ...schemas.flatMap((schema) => fieldsOf(document, schema))].map(({ name }) => name).join(' ');
};

/** Codes and messages of the errors. */
const errorsIn = (document: Document, { operation }: OperationEntry): string =>
  Object.entries(operation.responses)
    .filter(([code]) => !code.startsWith('2'))
    .map(([code, response]) => code + JSON.stringify(resolve(document, response).content ?? {}))
    .join(' ')
    .toLowerCase();

const textsOf = (document: Document, entry: Entry): readonly string[] => {
  if (entry.kind === 'guide') return [entry.title.toLowerCase(), entry.text.toLowerCase()];
  const fields = withWords(namesIn(document, entry));
  if (entry.kind === 'event') return [withWords(entry.id), entry.title.toLowerCase(), fields];
  return [
    withWords(`${entry.title} ${entry.id} ${entry.method} ${entry.path}`),
    `${entry.tag} ${entry.operation.description ?? ''}`.toLowerCase(),
    fields,
    errorsIn(document, entry),
  ];
};

export const indexOf = (document: Document, entries: readonly Entry[]): readonly Indexed[] =>
  entries.map((entry) => ({ entry, texts: textsOf(document, entry) }));

/** The entries that have every word, the best first. */
export const search = (index: readonly Indexed[], query: string): readonly Entry[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return index
    .map(({ entry, texts }) => ({
      entry,
      ranks: words.map((word) => texts.findIndex((text) => text.includes(word))),
    }))
    .filter(({ ranks }) => !ranks.includes(-1))
    .map(({ entry, ranks }) => ({ entry, rank: ranks.reduce((sum, rank) => sum + rank, 0) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
};
