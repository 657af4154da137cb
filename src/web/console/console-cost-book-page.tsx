import { useState } from "preact/hooks";
import type { CostBookJson, CostLineJson } from "../../api-schemas/cost-book-schema.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageCount, formatPageDate, formatPageMoney } from "../page/page-format.ts";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { VirtualTable } from "../widgets/virtual-table.tsx";
import { useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleCostBookFileActions } from "./console-cost-book-file.tsx";
import {
  type ConsoleCostBookChange,
  ConsoleCostLineFields,
  type NewCostLine,
  readConsoleCostLineForm,
} from "./console-cost-line-fields.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

const REFRESH_S = 5;

type Saved = CostBookJson & { warnings: string[] };

/** Shows and changes a partner's cost book. Every change is confirmed in a dialog and saved at once. */
export function ConsoleCostBookPage({ id }: { id: string }) {
  const path = `/admin/partners/${encodeURIComponent(id)}/cost-book`;
  const { api } = useConsole();
  const [isRecalculating, setRecalculating] = useState(false);
  const loaded = useAdminRead<CostBookJson>(path, isRecalculating ? REFRESH_S : undefined);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  useConsoleTitle("Cost book");
  const recalculating = loaded.value?.recalculating ?? false;
  if (recalculating !== isRecalculating) setRecalculating(recalculating);

  /**
   * Changes the book as it is now, not as the page has shown it: others may have added lines since. Resolves to the message of
   * a refusal.
   */
  const save = async (change: ConsoleCostBookChange, done: string) => {
    try {
      const lines = change((await api.read<CostBookJson>(path)).lines);
      if (typeof lines === "string") return lines;
      const saved = await api.write<Saved>("PUT", path, { lines });
      setWarnings(saved.warnings);
      showToast(done);
      loaded.reload();
      return undefined;
    } catch (thrown) {
      if (thrown instanceof ApiFailure) return thrown.message;
      throw thrown;
    }
  };
  return (
    <>
      <Breadcrumbs
        links={[
          ["Partners", hrefTo(["partners"])],
          [loaded.value?.partner ?? id, hrefTo(["partners", id])],
        ]}
      />
      <LoadedContent loaded={loaded} what="the cost book" isPage>
        {({ lines, partner }) => (
          <>
            <ConsoleHeading
              title="Cost book"
              about={`Costs that ${partner} has stated. The most specific line replaces the costs of the knowledge base; a component's own costs replace both.`}
            >
              <ConfirmDialog
                name="Add line"
                title="Add a line"
                onConfirm={async (form) =>
                  withoutNumber(
                    await save((present) => [...present, readConsoleCostLineForm(form)], "Line added."),
                  )
                }
              >
                <ConsoleCostLineFields />
              </ConfirmDialog>
            </ConsoleHeading>
            {recalculating && (
              <p role="status" class="small muted">
                The sums of this portfolio are being recalculated. Components already have their new costs.
              </p>
            )}
            {warnings.length > 0 && (
              <ul role="status" class="small">
                {warnings.slice(0, MOST_WARNINGS).map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            )}
            <ConsoleCostBookFileActions partner={partner} lines={lines} onImport={save} />
            {lines.length === 0 ? (
              <EmptyState title="No lines yet">
                <p>The costs of the knowledge base apply, scaled to size and location.</p>
              </EmptyState>
            ) : (
              <section class="card" aria-label="Lines">
                <VirtualTable
                  caption="Lines of the cost book"
                  rows={lines}
                  rowKey={({ id }) => id}
                  columns={[
                    { key: "kind", heading: "Type and component", cell: Kind },
                    { key: "where", heading: "State and size", shownFrom: "medium", cell: Where },
                    {
                      key: "costs",
                      heading: "Planned, failure",
                      isNumber: true,
                      width: "roomy",
                      cell: Costs,
                    },
                    { key: "basis", heading: "Basis", shownFrom: "wide", cell: Basis },
                    {
                      key: "actions",
                      heading: <span class="visually-hidden">Actions</span>,
                      width: "roomy",
                      cell: (line) => (
                        <Actions
                          line={line}
                          onSave={async (changed) =>
                            withoutNumber(await save(replacing(line, [changed]), "Line saved."))
                          }
                          onRemove={() => save(replacing(line, []), "Line removed.")}
                        />
                      ),
                    },
                  ]}
                />
                <p class="small muted">{formatPageCount(lines.length, "line")}</p>
              </section>
            )}
          </>
        )}
      </LoadedContent>
    </>
  );
}

const MOST_WARNINGS = 20;

const costOf = (cost: number | null) =>
  cost === null ? <span class="muted">–</span> : formatPageMoney(cost);

/** Replaces a line by others, unless it is no longer as the page has shown it. */
const replacing =
  (line: CostLineJson, by: readonly NewCostLine[]): ConsoleCostBookChange =>
  (present) =>
    present.some((each) => isSameLine(each, line))
      ? present.flatMap((each) => (each.id === line.id ? by : [each]))
      : "Someone has changed or removed this line since the page was loaded. Reload the page.";

const isSameLine = (one: CostLineJson, other: CostLineJson) => JSON.stringify(one) === JSON.stringify(other);

/** Leaves out the number of a line, which the dialog shows. */
const withoutNumber = (message: string | undefined) => message?.replace(/^Line \d+: /, "");

function Kind({ type_id, component_def_id }: CostLineJson) {
  return (
    <>
      <code>{type_id}</code>
      <br />
      <span class="small muted">{component_def_id ?? "Whole appliance"}</span>
    </>
  );
}

function Costs({ proactive_cost, reactive_cost }: CostLineJson) {
  return (
    <>
      {costOf(proactive_cost)}
      <br />
      {costOf(reactive_cost)}
    </>
  );
}

function Where({ state, size }: CostLineJson) {
  return (
    <>
      {state ?? "All places"}
      <br />
      <span class="small muted">{size === null ? "Any size" : `Size ${size}`}</span>
    </>
  );
}

function Basis({ basis, as_of }: CostLineJson) {
  return (
    <>
      {basis === "own" ? "Own" : "Own history"}
      <br />
      <span class="small muted">as of {formatPageDate(as_of)}</span>
    </>
  );
}

function Actions(props: {
  line: CostLineJson;
  onSave: (line: NewCostLine) => Promise<string | undefined>;
  onRemove: () => Promise<string | undefined>;
}) {
  const { line, onSave, onRemove } = props;
  const name = [line.type_id, line.component_def_id, line.state].filter(Boolean).join(", ");
  return (
    <span class="choices">
      <ConfirmDialog
        name="Edit"
        title={`Edit the line for ${name}`}
        isSmall
        onConfirm={(form) => onSave(readConsoleCostLineForm(form))}
      >
        <ConsoleCostLineFields line={line} />
      </ConfirmDialog>
      <ConfirmDialog
        name="Remove"
        title={`Remove the line for ${name}?`}
        isDestructive
        isSmall
        onConfirm={onRemove}
      >
        <p>The next most specific line applies instead, or the costs of the knowledge base.</p>
      </ConfirmDialog>
    </span>
  );
}
