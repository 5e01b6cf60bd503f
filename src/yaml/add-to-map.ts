import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

/**
 * Adds a scalar to a map below a top-level key of a YAML text, or replaces it. Changes no other line.
 *
 * @returns the new text; null if the text has errors or the value of the key is no map
 */
export function addToMap(text: string, key: string, name: string, value: string): string | null {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return null;
  const line = `${name}: ${value}`;
  if (document.contents === null) return `${withNewline(text)}${key}:\n  ${line}\n`;
  if (!isMap(document.contents)) return null;
  const pair = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  if (pair === undefined) return `${withNewline(text)}${key}:\n  ${line}\n`;
  const map = pair.value;
  if (isScalar(map) && map.value === null) return splice(text, map.range![0], map.range![0], `\n  ${line}`);
  if (!isMap(map) || !map.range) return null;
  return place(text, map, name, value);
}

function place(text: string, map: YAMLMap, name: string, value: string): string | null {
  const [start, end] = map.range!;
  const known = map.items.find((item) => isScalar(item.key) && item.key.value === name);
  if (known !== undefined) {
    const range = isScalar(known.value) ? known.value.range : null;
    return range ? splice(text, range[0], range[1], value) : null;
  }
  if (map.flow !== true) {
    const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
    return splice(text, end, end, `${text[end - 1] === '\n' ? '' : '\n'}${indent}${name}: ${value}\n`).replace(
      /\n\n$/,
      '\n',
    );
  }
  // An empty map in braces becomes a block, which is easier to extend.
  if (map.items.length === 0)
    return splice(text, start, end, `\n  ${name}: ${value}`).replace(/:[ \t]+\n {2}/, ':\n  ');
  const last = map.items.at(-1)!.value;
  const at = isScalar(last) && last.range ? last.range[1] : end - 1;
  return splice(text, at, at, `, ${name}: ${value}`);
}

function splice(text: string, from: number, to: number, added: string): string {
  return text.slice(0, from) + added + text.slice(to);
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
