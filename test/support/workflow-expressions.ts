/** Values that `${{ }}` of a workflow can name: objects, and the status functions of conditions. */
export interface ExpressionContext {
  readonly values: Readonly<Record<string, unknown>>;
  /** State of the job so far. */
  readonly isFailed: boolean;
  readonly isCancelled: boolean;
}

const TOKEN =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>\d+)|(?<name>[A-Za-z_][\w-]*(?:\.[\w-]+)*)|(?<sign>&&|\|\||==|!=|[!()]))/y;

/** Replaces the expressions in a text, as GitHub does. */
export function interpolate(text: string, context: ExpressionContext): string {
  return text.replaceAll(/\$\{\{([\s\S]*?)\}\}/g, (_, inner: string) => {
    const value = evaluate(inner, context);
    return value === null || value === undefined
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  });
}

/** Whether a step or a job runs: without a status function, only after success. */
export function isRun(condition: string | undefined, context: ExpressionContext): boolean {
  if (condition === undefined) return !context.isFailed && !context.isCancelled;
  const inner = condition.trim().replace(/^\$\{\{([\s\S]*)\}\}$/, '$1');
  const asks = /\b(?:always|cancelled|failure|success)\(\)/.test(inner);
  return (asks || (!context.isFailed && !context.isCancelled)) && isTrue(evaluate(inner, context));
}

/** @see https://docs.github.com/en/actions/reference/workflows-and-actions/expressions */
function evaluate(source: string, context: ExpressionContext): unknown {
  const tokens = tokensOf(source);
  let at = 0;
  const takes = (sign: string): boolean => tokens[at]?.sign === sign && ++at > 0;

  const primary = (): unknown => {
    if (takes('!')) return !isTrue(primary());
    if (takes('(')) {
      const value = either();
      if (!takes(')')) throw new Error(`No ) in ${source}`);
      return value;
    }
    const { text, number, name } = tokens[at++] ?? {};
    if (text !== undefined) return text.slice(1, -1).replaceAll("''", "'");
    if (number !== undefined) return Number(number);
    if (name === undefined) throw new Error(`Nothing to read in ${source}`);
    if (takes('(')) {
      if (!takes(')')) throw new Error(`Arguments in ${source}`);
      return called(name, context);
    }
    return { true: true, false: false, null: null }[name] ?? valueAt(name, context);
  };
  const equality = (): unknown => {
    const left = primary();
    if (takes('==')) return isSame(left, primary());
    if (takes('!=')) return !isSame(left, primary());
    return left;
  };
  const both = (): unknown => {
    let value = equality();
    while (takes('&&')) {
      const next = equality();
      value = isTrue(value) ? next : value;
    }
    return value;
  };
  const either = (): unknown => {
    let value = both();
    while (takes('||')) {
      const next = both();
      value = isTrue(value) ? value : next;
    }
    return value;
  };
  const value = either();
  if (at < tokens.length) throw new Error(`More than one expression: ${source}`);
  return value;
}

function tokensOf(source: string): Record<string, string | undefined>[] {
  const tokens: Record<string, string | undefined>[] = [];
  TOKEN.lastIndex = 0;
  while (source.slice(TOKEN.lastIndex).trim() !== '') {
    const from = TOKEN.lastIndex;
    const { groups } = TOKEN.exec(source) ?? {};
    if (groups === undefined) throw new Error(`Not read: ${source.slice(from)}`);
    tokens.push(groups);
  }
  return tokens;
}

function called(name: string, { isFailed, isCancelled }: ExpressionContext): boolean {
  if (name === 'always') return true;
  if (name === 'cancelled') return isCancelled;
  if (name === 'failure') return isFailed;
  if (name === 'success') return !isFailed && !isCancelled;
  throw new Error(`No function ${name}()`);
}

function valueAt(path: string, { values }: ExpressionContext): unknown {
  const [first = '', ...rest] = path.split('.');
  if (!(first in values)) throw new Error(`No context ${first}`);
  return rest.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key] ?? null, values[first]);
}

function isTrue(value: unknown): boolean {
  return ![false, 0, '', null, undefined].includes(value as never);
}

function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : (value ?? null));
  return plain(one) === plain(other);
}
