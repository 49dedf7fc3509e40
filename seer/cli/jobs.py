"""Commands that show the jobs of the page *Studies*, and stop one."""

from __future__ import annotations

from typing import Annotated

import typer

from seer.cli.output import Json, print_data, table
from seer.jobs import jobs as all_jobs
from seer.jobs import stop as stop_job
from seer.jobs import tend

app = typer.Typer(help="Long work started from the dashboard: list it, or stop one.", pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def list_jobs(context: typer.Context, as_json: Json = False) -> None:
    """List the jobs: the running one, those that wait, then those that are over."""
    if context.invoked_subcommand is not None:
        return
    tend()
    found = all_jobs()

    def rows() -> list[dict[str, object]]:
        return [
            {
                "id": job.id,
                "state": job.state,
                "study": job.study,
                "": job.error or (f"{job.stage} {job.share:.0%}" if job.state == "running" else job.data),
            }
            for job in found
        ]

    print_data(as_json, [job.record() for job in found], lambda: [table(rows()) if found else "There are no jobs."])


@app.command("stop")
def stop(job: Annotated[str, typer.Argument(metavar="JOB", help="Id of a job.")]) -> None:
    """Stop a job: one that waits never starts, one that runs ends and changes nothing."""
    stopped = stop_job(job)
    print(f"{stopped.id}: {stopped.state}")
