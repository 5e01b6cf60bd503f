/** What `template.yaml` of a new package says. */
export interface NewManifest {
  readonly name: string;
  readonly description: string;
  readonly stillcuts: readonly { readonly name: string; readonly seconds: number }[];
  readonly editables: readonly {
    readonly key: string;
    readonly label: string;
    readonly kind: string;
    readonly stillcut: string;
    readonly maxLength: number | null;
    readonly required: boolean;
  }[];
}

/** `template.yaml` as a person would write it: one line for each editable. */
export function manifestText({ name, description, stillcuts, editables }: NewManifest): string {
  const stills = stillcuts.map((still) => `  ${still.name}: ${still.seconds}`);
  const lines = editables.map(({ key, label, kind, stillcut, maxLength, required }) => {
    const fields = [
      `label: ${scalar(label)}`,
      `kind: ${kind}`,
      `stillcut: ${stillcut}`,
      ...(maxLength === null ? [] : [`max_length: ${maxLength}`]),
      ...(required ? [] : ['required: false']),
    ];
    return `  ${key}: { ${fields.join(', ')} }`;
  });
  const head = [`name: ${scalar(name)}`, `description: ${scalar(description)}`];
  return `${[...head, 'stillcuts:', ...stills, 'editables:', ...lines].join('\n')}\n`;
}

/** Plain where YAML takes it for a text, in quotes elsewhere. A JSON text is one of YAML, too. */
function scalar(text: string): string {
  const isPlain = /^\p{L}[\p{L}\p{N} ._/()–—×-]*$/u.test(text) && text.trim() === text;
  return isPlain && !/^(?:true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}
