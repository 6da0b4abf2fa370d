"""How Alembic reaches the database: by the connection that the store opened."""

from alembic import context

from benchbook_book.course.server.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
