import { Component, type ReactNode } from "react";
import "./error-boundary.css";

interface Props {
  /** What is inside, as a person would call it. */
  readonly region: string;
  readonly children: ReactNode;
}

/** Keeps a fault inside the region where it happened: the rest of the page goes on. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <section className="error-boundary" role="alert">
        <h2>The {this.props.region} cannot be shown</h2>
        <p className="quiet">{error.message}</p>
        <p className="error-boundary-actions">
          <button className="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
          <button className="button button-plain" onClick={() => window.location.reload()}>
            Reload the page
          </button>
        </p>
      </section>
    );
  }
}
