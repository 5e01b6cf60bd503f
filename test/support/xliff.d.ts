declare module 'xliff' {
  interface Unit {
    readonly source: unknown;
    readonly target?: unknown;
  }
  export function xliff2js(
    text: string,
  ): Promise<{ readonly resources: Readonly<Record<string, Readonly<Record<string, Unit>>>> }>;
}
