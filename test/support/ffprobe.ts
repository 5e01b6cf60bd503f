import { execa } from 'execa';

/** Properties of a video file according to an independent reader. */
export interface Probe {
  readonly codec: string;
  readonly pixelFormat: string;
  readonly colorSpace: string;
  readonly width: number;
  readonly height: number;
  /** A fraction such as `30/1`. */
  readonly frameRate: string;
  readonly frameCount: number;
  readonly durationSeconds: number;
}

/** Whether Debian's ffprobe is installed. @throws if it is required and missing */
export async function hasFfprobe(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const { failed } = await execa('ffprobe', ['-version'], { reject: false });
  if (failed && env.REELFORM_REQUIRE_FFMPEG === '1') throw new Error('ffprobe is required here and is not installed');
  if (failed)
    console.warn(
      'SKIPPED: ffprobe is not installed, so no independent reader opens the videos (apt-get install ffmpeg)',
    );
  return !failed;
}

/** Decodes the whole file to count its frames. */
export async function probe(path: string): Promise<Probe> {
  const { stdout } = await execa('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-count_frames', '-select_streams', 'v:0'],
    ...[
      '-show_entries',
      'stream=codec_name,pix_fmt,color_space,width,height,r_frame_rate,nb_read_frames:format=duration',
    ],
    path,
  ]);
  const { streams, format } = JSON.parse(stdout) as {
    streams: Record<string, string | number>[];
    format: { duration: string };
  };
  const stream = streams[0]!;
  return {
    codec: String(stream.codec_name),
    pixelFormat: String(stream.pix_fmt),
    colorSpace: String(stream.color_space),
    width: Number(stream.width),
    height: Number(stream.height),
    frameRate: String(stream.r_frame_rate),
    frameCount: Number(stream.nb_read_frames),
    durationSeconds: Number(format.duration),
  };
}
