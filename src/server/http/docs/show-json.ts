/** JSON for people: a value on one line where it is short, else one line for each of its members. */
export function showJson(value: unknown, width = 64, indent = ''): string {
  const short = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= width) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((item) => showJson(item, width, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${showJson(member, width, inner)}`);
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? '{}' : `{${members.join(', ')}}`;
}
