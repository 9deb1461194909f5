/**
 * Rule of oxlint: no regular expression takes a time that grows faster than its text. `scslre` finds repetitions within each other, beside each
 * other, and before an end that may not come. It looks at literals, `new RegExp('…')`, and `pattern` of a schema.
 */
import { analyse } from 'scslre';

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string } | null;
  readonly name?: string;
  readonly key?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
}

interface Context {
  report(found: { readonly node: Node; readonly message: string }): void;
}

const advice: Readonly<Record<string, string>> = {
  Self: 'a repetition within a repetition: write one of them',
  Trade: 'two repetitions can match the same characters: make them differ, or bound one of them, as in {0,100}',
  Move: 'a repetition is tried from each of its characters: begin with ^ or a lookbehind such as (?<!;), or bound it',
};

const superLinear = {
  create: (context: Context) => {
    const check = (node: Node, source: string, flags: string): void => {
      const { reports } = analyse({ source, flags }, { reportTypes: { Self: true, Trade: true, Move: true } });
      for (const { type } of reports) context.report({ node, message: advice[type] ?? type });
    };
    /** A string that is compiled to a regular expression. */
    const checkText = (node: Node | undefined): void => {
      if (node?.type === 'Literal' && typeof node.value === 'string') check(node, node.value, 'u');
    };
    return {
      Literal(node: Node) {
        if (node.regex) check(node, node.regex.pattern, node.regex.flags);
      },
      NewExpression({ callee, arguments: [first] = [] }: Node) {
        if (callee?.name === 'RegExp') checkText(first);
      },
      Property({ key, value }: { readonly key?: Node; readonly value?: Node }) {
        if (key?.name === 'pattern') checkText(value);
      },
    };
  },
};

// oxlint-disable-next-line import/no-default-export -- how oxlint loads a plugin
export default { meta: { name: 'regexps' }, rules: { 'super-linear': superLinear } };
