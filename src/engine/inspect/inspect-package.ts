import { bindMapping } from '../../template/bind/bind-mapping.ts';
import { findUnsupported, type UnsupportedUse } from '../../template/lottie/find-unsupported.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import { type DrawStills, findSights, type Sights } from './find-unseen.ts';
import { largeImages } from './large-images.ts';
import type { PackageFinding } from './package-finding.ts';

/** Who draws: a render pool, or this thread. */
export interface PackageInspector {
  readonly renderStills: DrawStills;
  readonly lint: (scene: Scene) => Promise<readonly LintFinding[]>;
}

const LICENCE = /(?:^|[/_-])(?:OFL|UFL|LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;

/**
 * Everything about a template package that its designer had better know, by looking at it: what is not drawn, what the
 * stills do not show, what a viewer would notice of its own values, what is missing beside its fonts.
 *
 * @param files that the package was read from, by path below its folder
 * @throws SceneError for a package that cannot be drawn
 */
export async function inspectPackage(
  template: TemplatePackage,
  files: Iterable<string>,
  inspector: PackageInspector,
): Promise<PackageFinding[]> {
  const [sights, noticed] = await Promise.all([
    findSights(template, inspector.renderStills),
    inspector.lint(bindMapping(template, { resources: {} }, new Map())),
  ]);
  return [
    ...unsupported(template),
    ...unseen(template, sights),
    ...idleStills(template, sights),
    ...noticed.map((finding): PackageFinding => ({ kind: 'seen', finding })),
    ...largeImages(template),
    ...unlicensed([...files]),
  ];
}

/** What is the same at several places is said once. */
export function groupUses(uses: readonly UnsupportedUse[]): (PackageFinding & { kind: 'unsupported' })[] {
  const groups = new Map<string, UnsupportedUse[]>();
  for (const use of uses) {
    const group = `${use.feature}\n${use.what}`;
    groups.set(group, [...(groups.get(group) ?? []), use]);
  }
  return [...groups.values()].map((group) => {
    const { feature, what } = group[0]!;
    return { kind: 'unsupported', feature, what, uses: group };
  });
}

function unsupported({ animation }: TemplatePackage): PackageFinding[] {
  return groupUses(findUnsupported(animation));
}

function unseen(template: TemplatePackage, sights: ReadonlyMap<string, Sights>): PackageFinding[] {
  return [...sights].flatMap(([editable, { stills: shownOn, seconds }]): PackageFinding[] => {
    const { stillcut: still } = template.manifest.editables.get(editable)!;
    return shownOn.includes(still) ? [] : [{ kind: 'unseen', editable, still, shownOn, seconds }];
  });
}

function idleStills({ manifest }: TemplatePackage, sights: ReadonlyMap<string, Sights>): PackageFinding[] {
  return [...manifest.stillcuts.keys()].flatMap((still): PackageFinding[] => {
    const named = [...manifest.editables].filter(([, { stillcut }]) => stillcut === still).map(([key]) => key);
    const looked = named.flatMap((key) => sights.get(key) ?? []);
    const isIdle = named.length === 0 || (looked.length > 0 && !looked.some(({ stills }) => stills.includes(still)));
    const seconds = looked.find((one) => one.seconds !== null)?.seconds ?? null;
    return isIdle ? [{ kind: 'idle_still', still, named: named.length, seconds }] : [];
  });
}

function unlicensed(files: readonly string[]): PackageFinding[] {
  const fonts = files.filter((path) => /^fonts\/[^/]+\.(?:ttf|otf|woff2?)$/i.test(path));
  return fonts.length > 0 && !files.some((path) => LICENCE.test(path)) ? [{ kind: 'no_licence', fonts }] : [];
}
