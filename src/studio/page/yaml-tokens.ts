/** Part of a line of YAML in a single colour. */
interface Token {
  readonly kind: 'comment' | 'key' | 'string' | 'number' | 'plain';
  readonly text: string;
}

const PATTERN =
  /(?<comment>(?:^|(?<=\s))#.*)|(?<key>^(?:\s*-\s+)*\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#{}[\],][^:#]*?)\s*:(?=\s|$))|(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|(?<number>(?<=[\s,[:])-?\d+(?:\.\d+)?(?=\s*(?:$|[,}\]#])))/g;

/** Divides a line for display. A guess by line, not a parser: text of several lines is shown without colours. */
export function tokenizeYaml(line: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(PATTERN)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: line.slice(end, match.index) });
    const kind = Object.entries(match.groups!).find(([, text]) => text !== undefined)![0] as Token['kind'];
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) tokens.push({ kind: 'plain', text: line.slice(end) });
  return tokens;
}
