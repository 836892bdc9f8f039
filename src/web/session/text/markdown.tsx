/** Markdown as React elements: no HTML is made of it, so that nothing in it can act. */
import { memo, useMemo, useState, type ReactNode } from "react";
import { CopyButton } from "./copy-button.js";
import { DiffView } from "./diff-view.js";
import { isLongText, LongText } from "./long-text.js";
import { parseChunk, type Block, type ListItem } from "./markdown-blocks.js";
import { cutChunks, NOTHING_CUT, type Chunk, type Cut } from "./markdown-chunks.js";
import { parseInline, type Inline } from "./markdown-inline.js";
import { exactText, proseText } from "./visible-text.js";
import "./text.css";

/** A text that grows is read anew only from its last piece on. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  const prose = useMemo(() => proseText(text), [text]);
  const [cut, setCut] = useState<Cut>(NOTHING_CUT);
  const next = cut.text === prose ? cut : cutChunks(prose, cut);
  if (next !== cut) setCut(next);
  return (
    <div className="markdown">
      {next.chunks.map((chunk) => (
        <ChunkView key={chunk.start} type={chunk.type} text={chunk.text} />
      ))}
    </div>
  );
}

const ChunkView = memo(function ChunkView({ type, text }: Pick<Chunk, "type" | "text">): ReactNode {
  if (type !== "code" && isLongText(text)) return <LongText text={text} />;
  return <BlockView block={parseChunk({ type, text })} />;
});

function BlockView({ block }: { readonly block: Block }): ReactNode {
  switch (block.type) {
    case "heading":
      return (
        <p className="markdown-heading" role="heading" aria-level={2} data-level={block.level} dir="auto">
          <InlineText text={block.text} />
        </p>
      );
    case "paragraph":
      return (
        <p dir="auto">
          <InlineText text={block.text} />
        </p>
      );
    case "code":
      return <CodeBlock language={block.language} text={block.text} />;
    case "quote":
      return (
        <blockquote>
          {block.blocks.map((inner, index) => (
            <BlockView key={index} block={inner} />
          ))}
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "list":
      return <ListView start={block.start} items={block.items} />;
    case "table":
      return <TableView head={block.head} rows={block.rows} />;
  }
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }): ReactNode {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === "paragraph") return <InlineText text={only.text} />;
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function ListView({
  start,
  items,
}: {
  readonly start: number | null;
  readonly items: readonly ListItem[];
}): ReactNode {
  const children = items.map(({ isDone, blocks }, index) => (
    <li key={index} data-task={isDone !== null}>
      {isDone !== null && (
        <span className="markdown-task" role="img" aria-label={isDone ? "done" : "to do"}>
          {isDone ? "☑" : "☐"}
        </span>
      )}
      <Blocks blocks={blocks} />
    </li>
  ));
  return start === null ? (
    <ul dir="auto">{children}</ul>
  ) : (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  );
}

interface TableProps {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function TableView({ head, rows }: TableProps): ReactNode {
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <InlineText text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <InlineText text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function CodeBlock({
  language,
  text,
}: {
  readonly language: string;
  readonly text: string;
}): ReactNode {
  return (
    <figure className="code">
      <figcaption className="code-head">
        <span>{language === "" ? "text" : language.slice(0, 40)}</span>
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      {language === "diff" || language === "patch" ? (
        <DiffView diff={text} linesMax={200} />
      ) : (
        <pre className="code-text" tabIndex={0} role="group" aria-label="Code">
          <code>{isLongText(text) ? <LongText text={exactText(text)} /> : exactText(text)}</code>
        </pre>
      )}
    </figure>
  );
}

function InlineText({ text }: { readonly text: string }): ReactNode {
  return <Inlines nodes={parseInline(text)} />;
}

function Inlines({ nodes }: { readonly nodes: readonly Inline[] }): ReactNode {
  return nodes.map((node, index) => <InlineView key={index} node={node} />);
}

function InlineView({ node }: { readonly node: Inline }): ReactNode {
  switch (node.type) {
    case "text":
      return node.text;
    case "code":
      return <code>{exactText(node.text)}</code>;
    case "strong":
      return (
        <strong>
          <Inlines nodes={node.children} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines nodes={node.children} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines nodes={node.children} />
        </del>
      );
    case "link":
      return (
        <a href={node.href} title={node.href} target="_blank" rel="noopener noreferrer">
          <Inlines nodes={node.children} />
        </a>
      );
  }
}
