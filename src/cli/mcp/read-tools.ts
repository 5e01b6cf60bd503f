import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { temporaryFolder, tryToRemove } from '../../kernel/temporary-folder.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import type { ProjectTemplate } from '../../reconciler/project/load-templates.ts';
import { leftOutHint } from '../../report/wording/left-out-words.ts';
import { videoFile } from '../../template/bind/video-file.ts';
import { projectTemplates } from '../state/video-templates.ts';
import { commandResult, failed, imageContent, runTool, type ToolContext, textContent } from './tool-result.ts';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;
const VIDEO = z.string().min(1).describe('Id of a video, such as launch/dune');
const GLOBS = z.array(z.string().min(1)).max(100).optional();

/** Registers the tools that change nothing: lists, checks, plans and pictures. */
export function registerReadTools(server: McpServer, context: ToolContext): void {
  const { reelform, root } = context;
  const register = <T extends z.ZodRawShape>(
    name: string,
    description: string,
    inputSchema: T,
    handler: (args: z.infer<z.ZodObject<T>>) => ReturnType<typeof runTool>,
  ) =>
    server.registerTool<z.ZodRawShape, z.ZodRawShape>(
      name,
      { description, inputSchema, annotations: READ_ONLY },
      (args) => runTool(context, () => handler(args as z.infer<z.ZodObject<T>>)),
    );

  register(
    'list_videos',
    'Lists videos with their state against the lockfile and their URL.',
    { ids: GLOBS.describe('Ids or globs; all videos if absent') },
    async ({ ids = [] }) => commandResult(await reelform(['list', '--json', '--', ...ids])),
  );
  register('validate', 'Checks configuration, templates and all definitions. Returns all errors.', {}, async () =>
    commandResult(await reelform(['validate', '--json'])),
  );
  register(
    'plan',
    'Shows what apply would change and why, without rendering. Returns the plan document with its plan_id.',
    { target: GLOBS.describe('Only videos whose id matches one of these globs') },
    async ({ target = [] }) => commandResult(await reelform(['plan', '--json', ...targetFlags(target)])),
  );
  register(
    'lint',
    'Checks videos for visible problems: missing glyphs, text overflow, low contrast, blurred images.',
    { videos: GLOBS.describe('Ids; all videos if absent') },
    async ({ videos = [] }) => commandResult(await reelform(['lint', '--json', '--', ...videos])),
  );
  register(
    'caption_fixes',
    'Shows the times of captions that `reelform captions fix --yes` would move to cuts and gaps that the rules ask for.',
    { videos: GLOBS.describe('Ids or globs; all videos if absent') },
    async ({ videos = [] }) => commandResult(await reelform(['captions', 'fix', '--json', '--', ...videos])),
  );
  register(
    'explain',
    'Shows why a video would be rendered, and the inputs that its fingerprint covers.',
    { video: VIDEO },
    async ({ video }) => commandResult(await reelform(['explain', '--json', '--', video])),
  );
  register(
    'template_info',
    'Describes templates: size, duration, stillcuts, and the editables that a definition can set.',
    { template: z.string().optional().describe('Name from reelform.yaml; all templates if absent') },
    async ({ template }) => {
      const { templates } = await loadProject({ cwd: root });
      const chosen = [...templates.values()].filter(({ name }) => template === undefined || name === template);
      if (chosen.length === 0 && template !== undefined) {
        return failed(`There is no template ${template}. reelform.yaml has ${[...templates.keys()].join(', ')}`);
      }
      return { content: [textContent(JSON.stringify(chosen.map(templateInfo), null, 2))] };
    },
  );
  register(
    'read_definition',
    'Returns the files that a video is made from: its definition, fragments and data.',
    { video: VIDEO },
    async ({ video }) => {
      const project = await loadProject({ cwd: root });
      const { path } = videoOf(video, project);
      const paths = project.origins.get(path) ?? [path];
      return { content: paths.map((file) => textContent(`# ${file}\n${project.source(file) ?? ''}`)) };
    },
  );
  register(
    'look',
    'Renders one frame of a video and returns it as an image.',
    {
      video: VIDEO,
      time_seconds: z.number().min(0).optional().describe('Time of the frame; the first stillcut if absent'),
      full_size: z.boolean().optional().describe('Full height instead of half the height'),
    },
    async ({ video, time_seconds, full_size }) => {
      const frame = time_seconds === undefined ? await firstStill(video, root) : `${time_seconds}s`;
      const folder = temporaryFolder('reelform-look-');
      try {
        const file = join(folder, 'frame.png');
        const flags = ['--frame', frame, '--out', file, ...(full_size === true ? [] : ['--draft'])];
        const ran = await reelform(['render', '--json', ...flags, '--', video]);
        if (ran.exitCode !== EXIT.ok) return commandResult(ran, true);
        return { content: [imageContent(await readFile(file), 'image/png')] };
      } finally {
        tryToRemove(folder);
      }
    },
  );
}

/** Returns the flags that select videos. */
export function targetFlags(globs: readonly string[]): string[] {
  return globs.map((glob) => `--target=${glob}`);
}

/** Returns the frame of the poster, or else of the first still. */
async function firstStill(id: string, root: string): Promise<string> {
  const project = await loadProject({ cwd: root });
  const video = videoOf(id, project);
  const templates = projectTemplates(project)(video);
  if (templates === null) return '0';
  const { packages, scenes } = templates;
  const ofScenes = video.scenes.map(({ template }) => packages.get(template)!);
  const { stills } = videoFile(ofScenes, scenes?.timeline ?? null, video.output ?? {});
  const shown = stills.find(({ name }) => name === video.poster) ?? stills[0];
  return String(shown?.frame ?? 0);
}

function videoOf(id: string, { videos, leftOut, waiting }: Project) {
  const video = videos.find((candidate) => candidate.id === id);
  if (video !== undefined) return video;
  const condition = leftOutHint([...leftOut, ...waiting].find((candidate) => candidate.id === id));
  if (condition !== null) {
    throw new ReelformError('unknown_video', `There is no video ${JSON.stringify(id)}`, { hint: condition });
  }
  throw new ReelformError('unknown_video', `There is no video ${JSON.stringify(id)}, or its definition has errors`, {
    hint: 'Call list_videos for the ids, and validate for errors',
  });
}

function templateInfo({ name, spec, package: files }: ProjectTemplate) {
  const size = files && {
    folder: files.folder,
    width: files.width,
    height: files.height,
    fps: files.fps,
    duration_seconds: files.frameCount / files.fps,
    stillcuts: Object.fromEntries(files.stills.map(({ name: still, frame }) => [still, frame / files.fps])),
  };
  return { name, ...size, schema: `schemas/${name}.schema.json`, fonts: spec.fonts, editables: spec.editables };
}
