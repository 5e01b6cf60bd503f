import { expect, it } from 'vitest';
import { jsonPointer, parseJsonPointer } from '../src/json-pointer.ts';

it.each([
  [[], ''],
  [['mapping', 'resources', '(Footage)/USER/hero.jpg'], '/mapping/resources/(Footage)~1USER~1hero.jpg'],
  [['a~1', 0, ''], '/a~01/0/'],
])('jsonPointer(%j) is %s, and pointerPath() reads it back', (path, pointer) => {
  expect(jsonPointer(path)).toBe(pointer);
  expect(parseJsonPointer(pointer)).toEqual(path.map(String));
});
