import type { CreateRenderSession, RequestProblem } from '../service/wire.ts';

/** What a request asks for within the interface that the engine of this version cannot do: told, never left out silently. */
export function checkSupport({ mapping, output }: CreateRenderSession): RequestProblem[] {
  const problems: RequestProblem[] = [];
  const refuse = (pointer: string, detail: string): void =>
    void problems.push({ code: 'not_supported', pointer, detail });
  for (const field of ['audio_tracks', 'font_changes'] as const) {
    const given = mapping[field];
    if (given !== undefined && Object.keys(given).length > 0) refuse(`#/mapping/${field}`, `${field} cannot be filled`);
  }
  for (const [name, value] of Object.entries(output ?? {})) {
    if (name === 'format' && value === 'mp4') continue;
    refuse(`#/output/${name}`, `the output is mp4 in the template's own size and rate: ${name} cannot be chosen`);
  }
  return problems;
}
