import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/service/server/telemetry/metrics.ts';
import { deployFile } from './deploy-files.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

const DASHBOARD = JSON.parse(deployFile('grafana/dashboard.json')) as { readonly panels: readonly Panel[] };
const EXPRESSIONS = DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$job', '.*') })),
);

/** Returns the source of the nodes with this name and the position of each syntax error. */
function nodes(expr: string, name: string): string[] {
  const found: string[] = [];
  parser.parse(expr).iterate({
    enter(node) {
      if (node.name === name || node.type.isError)
        found.push(node.type.isError ? `mistake at ${node.from}` : expr.slice(node.from, node.to));
    },
  });
  return found;
}

describe('deploy/grafana/dashboard.json', () => {
  it('uses valid PromQL and only metrics that the service exports', async () => {
    const text = await createMetrics({
      ofProcess: true,
      farm: async () => null,
      webhooksPending: async () => 0,
    }).text();
    const measured = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
      ),
    );
    for (const { title, expr } of EXPRESSIONS) {
      const names = nodes(expr, 'Identifier').filter((name) => /_/.test(name));
      expect([title, names.filter((name) => !measured.has(name))]).toEqual([title, []]);
    }
  });

  it('describes every panel and overlaps none', () => {
    const panels = DASHBOARD.panels;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const one of panels) {
      if (one.type !== 'row') expect(one.description).toMatch(/\w{3}/);
      expect(one.gridPos.x + one.gridPos.w).toBeLessThanOrEqual(24);
      const over = panels.filter(({ id, gridPos: { x, y, w, h } }) => {
        const { gridPos: own } = one;
        return id > one.id && x < own.x + own.w && own.x < x + w && y < own.y + own.h && own.y < y + h;
      });
      expect(over.map(({ title }) => `${title} over ${one.title}`)).toEqual([]);
    }
  });
});
