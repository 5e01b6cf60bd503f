/**
 * Returns the values that are not undefined, for optional properties: `{ name, ...defined({ title, width }) }`. A property
 * that is absent and a property that is undefined differ in digests, and only the latter overrides a value when it is spread.
 *
 * Where a plan makes such an object for each video or scene, the literal begins with a property: Node 20 gives every object that adds one
 * to a copy (`{ ...values, name }`) a shape of its own, which takes several microseconds and makes each later access slow.
 */
export function defined<Values extends object>(values: Values): Defined<Values> {
  // Called for each scene and value of a plan.
  const present: Partial<Values> = {};
  for (const name of Object.keys(values) as (keyof Values)[]) {
    if (values[name] !== undefined) present[name] = values[name];
  }
  return present as Defined<Values>;
}

type Defined<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** Returns the items of a list that are present, for conditional items: `present([head, count > 0 && rows])`. */
export function present<Item>(items: readonly (Item | false | null | undefined)[]): Item[] {
  return items.filter((item): item is Item => item !== false && item !== null && item !== undefined);
}
