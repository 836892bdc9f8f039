import { useId, type ReactNode } from "react";
import { STATUS_WORDS, type Status } from "../../core/index.js";
import { machineEdges, type Edge } from "./machine-edges.js";

interface Props {
  readonly status: Status;
  /** The change that led here; null when there was none. */
  readonly last: { readonly from: string; readonly to: string } | null;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 440;
const HEIGHT = 330;
const NODE = { width: 112, height: 28 } as const;

const PLACES: Readonly<Record<Status, Point>> = {
  idle: { x: 62, y: 30 },
  creating: { x: 220, y: 30 },
  error: { x: 62, y: 132 },
  streaming: { x: 220, y: 132 },
  waiting_approval: { x: 378, y: 82 },
  waiting_input: { x: 378, y: 182 },
  paused: { x: 62, y: 234 },
  completed: { x: 220, y: 234 },
  stopped: { x: 220, y: 304 },
};

const EDGES = machineEdges();

/** Every status and every way between them, from the machine's own table. */
export function MachineDiagram({ status, last }: Props): ReactNode {
  const markerId = useId();
  const words = last ? `, after ${wordsOf(last.from)}` : "";
  const isLast = ({ from, to }: Edge) => from === last?.from && to === last.to;
  // What matters most is drawn last, above the rest.
  const edges = EDGES.toSorted((a, b) => rank(a, status, isLast(a)) - rank(b, status, isLast(b)));
  return (
    <svg
      className="machine"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`The session machine: it is ${STATUS_WORDS[status]}${words}`}
    >
      <defs>
        <marker
          id={markerId}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="6"
          markerHeight="6"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" className="machine-head" />
        </marker>
      </defs>
      {edges.map((edge) => (
        <path
          key={`${edge.from} ${edge.to}`}
          className="machine-edge"
          data-last={isLast(edge) || undefined}
          data-possible={edge.from === status || undefined}
          d={pathOf(PLACES[edge.from], PLACES[edge.to])}
          markerEnd={isLast(edge) || edge.from === status ? `url(#${markerId})` : undefined}
        >
          <title>{`${wordsOf(edge.from)} to ${wordsOf(edge.to)}: ${edge.events.join(", ")}`}</title>
        </path>
      ))}
      {Object.entries(PLACES).map(([name, { x, y }]) => (
        <g key={name} className="machine-node" data-status={name} data-current={name === status || undefined}>
          <rect
            x={x - NODE.width / 2}
            y={y - NODE.height / 2}
            width={NODE.width}
            height={NODE.height}
            rx={NODE.height / 2}
          />
          <text x={x} y={y + 4} textAnchor="middle">
            {wordsOf(name)}
          </text>
        </g>
      ))}
    </svg>
  );
}

function wordsOf(status: string): string {
  return Object.hasOwn(STATUS_WORDS, status) ? STATUS_WORDS[status as Status] : status;
}

function rank({ from }: Edge, status: Status, isLast: boolean): number {
  if (isLast) return 2;
  return from === status ? 1 : 0;
}

/** Bent to its right, so that the way back is another line. */
function pathOf(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const bend = Math.min(34, 8 + length * 0.09);
  const middle = {
    x: (from.x + to.x) / 2 - (dy / length) * bend,
    y: (from.y + to.y) / 2 + (dx / length) * bend,
  };
  const [start, end] = [edgeOf(from, middle), edgeOf(to, middle)];
  return `M${point(start)}Q${point(middle)} ${point(end)}`;
}

/** Where the way from a node's middle leaves the node. */
function edgeOf(node: Point, towards: Point): Point {
  const [dx, dy] = [towards.x - node.x, towards.y - node.y];
  const [halfWidth, halfHeight] = [NODE.width / 2 + 2, NODE.height / 2 + 2];
  const share = Math.min(halfWidth / Math.max(1, Math.abs(dx)), halfHeight / Math.max(1, Math.abs(dy)));
  return { x: node.x + dx * share, y: node.y + dy * share };
}

function point({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
